/** Whether a text contains every word of a search text. Ignores case. */
export const matchesAllWords = (text: string, searchText: string): boolean =>
  searchText
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word))
