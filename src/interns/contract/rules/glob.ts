import { matchesParts } from '#platform/text/wildcards.ts'

/** Whether a text matches a pattern, in which `*` matches any characters. */
export function matchesGlob(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  return matchesParts([...pattern], [...text], {
    isWildcard: (part) => part === '*',
    matchesItem: (part, character) => part === character,
  })
}
