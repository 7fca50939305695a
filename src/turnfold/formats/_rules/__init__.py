"""What providers refuse: the rules that several formats are held against."""
