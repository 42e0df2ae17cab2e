/** Whether every database can hold a text: Postgres takes no NUL character, and UTF-8 no lone surrogate. */
export function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

/** What to tell who sent one that is not. */
export const notStorable = { error: 'must not hold a NUL character or half of a surrogate pair' }
