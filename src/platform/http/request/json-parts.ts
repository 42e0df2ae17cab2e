import { Fault } from '../../core/fault.ts'
import { isDeeper } from '../../json/depth.ts'

/** The deepest nesting of arrays and objects: code that handles a body may recurse. */
export const maxDepth = 1000
/**
 * The most items, members, arrays and objects that a body can have together. Each has at least one character, so a body
 * of up to 1 MiB is never refused for their number.
 */
export const maxParts = 1024 * 1024
/** The most members of one object. A body of up to 1 MiB has fewer, because names that differ need three characters. */
export const maxMembers = 150_000

const quote = 34
const comma = 44
const colon = 58
const backslash = 92
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125]

/**
 * Refuses JSON that needs far more memory or time than its length suggests. This runs before parsing, because parsing
 * itself may take long. The text may be invalid JSON.
 */
export function excessOfText(text: string): Fault | undefined {
  return text.length > maxParts ? excessOfLongText(text) : undefined
}

/** Checks the value of a text that was short enough to be parsed unchecked. */
export function excessOfValue(text: string, value: unknown): Fault | undefined {
  const canBeTooDeep = text.length > 2 * maxDepth && text.length <= maxParts
  return canBeTooDeep && isDeeper(value, maxDepth) ? tooDeep() : undefined
}

function excessOfLongText(text: string): Fault | undefined {
  /** How many members each of the enclosing objects and arrays had so far. */
  const wrap: number[] = []
  let members = 0
  let parts = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) at = endOfText(text, at)
    else if (character === comma) parts++
    else if (character === colon) members++
    else if (character === openArray || character === openObject) {
      parts++
      wrap.push(members)
      members = 0
    } else if (character === closeArray || character === closeObject) members = wrap.pop() ?? 0
    if (wrap.length > maxDepth) return tooDeep()
    if (members > maxMembers) return tooMany(`an object of more than ${maxMembers} members`)
    if (parts > maxParts) return tooMany(`more than ${maxParts} items, members, arrays and objects together`)
  }
  return undefined
}

/** The end of the string that begins at a quote. If it has no end, the end of the text. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text.charCodeAt(before - 1) === backslash) before--
    if ((end - before) % 2 === 0) return end
  }
  return text.length
}

const tooDeep = () =>
  new Fault('invalid', `The body has arrays and objects nested more than ${maxDepth} levels deep; flatten it.`)

const tooMany = (what: string) =>
  new Fault('payload_too_large', `The body has ${what}, the most any path takes. Send less at once.`)
