"""How is a page made? One self-contained HTML page a game, with its tables.

page      what a report is made of, and its checks
prose     the page's file of Markdown
plots     charts and numbers with intervals; drawing makes them fit light, dark and paper; wording sets text
render    the page as HTML
studies   what a page needs from studies
write     the folder that is published; preview shows a page over small runs

A game's builder turns tables into records (`page`) and hands them over; this package does the rest (inline SVG for
light and dark, sortable tables, CSP, print, `checks`, files)::

    caption = Caption("Share of razes by round.", rules_in_force(options), "2 players, 5 cards each",
                      "simulated: greedy against greedy", Sampled(20_000, "games", seed=7, interval="Wilson"))
    with drawing(7.2, 3.0) as (figure, axes):
        axes.plot(frame["round"], frame["share"], color=colour("series-1"), marker="o")
        axes.set(xlabel="round", ylabel="share of games with a raze")
    razes = Figure("razes", "When towers fall", figure, "A curve that rises to round 9.", caption, frame)
    page = Page(title="Towers", question="…?", answer=("…",), warning="…",
                sections=(Section("razes-by-round", "Razes", ("Most fall late.", razes)),),
                method=Section("method", "Method", ("…",)), command="towerlab report towers",
                checks=(check_sum("the shares add up to one", frame["share"], 1.0),))
    write_report(Path("reports/towers"), page)

A grid of coloured cells (an accept chart) is `grid_svg` of `Panel`s; cards in tables are `card_html` and `cards_html`.
Names of sections, figures and tables are ids: lower-case, hyphens, unique on the page. Text is escaped;
`markupsafe.Markup` is not. Colours: `colour("accept-3")` in matplotlib, ``var(--accept-3)`` in SVG of one's own
(see `analysis.report.drawing`). The page must stay under 1 MB: show the first `rows` of a long table, all of it
is written next to the page.
"""
