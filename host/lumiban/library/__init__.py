"""The library: finished games found again, who played them, results and ratings.

Records and the ledger are what is true; the database beside them is built from both at any time.
"""
