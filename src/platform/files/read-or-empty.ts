import { readFileSync } from 'node:fs'

/** Reads a text file. @returns an empty text if it cannot be read. */
export function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
