"""How is the table shown in a browser on this computer? `towerlab serve`.

app         routes: what is asked for, what is done
answering   questions of forms, each in a process
sessions    those that are open, each with its lock
guard       who may ask: this computer, this page, not too often
pages       a session, a form, a review as HTML; templates and script beside it
questions   questions as forms, handed in by commands.table
reviews     the review of a game
puzzles     puzzles as a page that stands alone
serving     the server itself
"""
