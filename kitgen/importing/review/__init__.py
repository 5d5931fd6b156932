"""List what people should review after an import.

In: trees before and after. Out: titles with lines. It must not decide anything, or write files.
"""
