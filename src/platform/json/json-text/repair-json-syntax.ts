import { isJson } from './is-json.ts'
import { stringEnd } from './json-fields.ts'

/**
 * Repairs JSON that some servers write: values of Python and JavaScript that JSON lacks, commas before a closing bracket, and
 * in strings wrong escapes and control characters. Unlike the package `jsonrepair`, it adds no missing end, because a truncated
 * response must remain an error. @returns undefined if the text is valid already, or invalid in another way.
 */
export function repairJsonSyntax(text: string): string | undefined {
  let repaired = ''
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const string = quote === -1 ? text.length : quote
    repaired += repairBetweenStrings(text.slice(at, string))
    at = stringEnd(text, string)
    repaired += repairString(text.slice(string, at))
  }
  return repaired !== text && isJson(repaired) ? repaired : undefined
}

/** The text between two strings. */
function repairBetweenStrings(text: string): string {
  if (!/[a-z,]/i.test(text)) return text
  return text
    .replaceAll(/[-+]?\b(?:NaN|Inf(?:inity)?)\b|\b(?:None|undefined)\b/gi, 'null')
    .replaceAll(/\b(?:True|False)\b/g, (word) => word.toLowerCase())
    .replaceAll(/,(?=\s*[}\]])/g, '')
}

function repairString(text: string): string {
  return text.replaceAll(controlOrEscape, (found) => {
    const [, escaped] = found
    if (escaped === undefined) return JSON.stringify(found).slice(1, -1)
    if ('"\\/bfnrtu'.includes(escaped)) return found
    // JavaScript escapes `'`. Any other backslash was meant as a character, as in a path of Windows.
    return escaped === "'" ? escaped : `\\${found}`
  })
}

const controlOrEscape = /[\u0000-\u001f]|\\[\s\S]/g
