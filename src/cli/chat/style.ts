import { printable } from '#platform/text/printable.ts'

export type Style = 'dim' | 'red' | 'green' | 'yellow' | 'bold'

export type StyleText = (style: Style, text: string) => string

/** Colours a line of a diff, and removes control characters. */
export function diffLine(applyStyle: StyleText, line: string): string {
  const text = `  ${printable(line)}`
  if (/^(\+\+\+|---|@@) /.test(line)) return applyStyle('bold', text)
  if (line.startsWith('+')) return applyStyle('green', text)
  return line.startsWith('-') ? applyStyle('red', text) : text
}
