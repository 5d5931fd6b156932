"""Say what people should look at after an import. In: trees before and after. Out: titles with lines."""
