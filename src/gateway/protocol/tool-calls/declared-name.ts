/** Longer names are not compared, because the patterns take quadratic time for some texts. In characters. */
const maxNameLength = 1024

/**
 * Finds the declared tool for a name with white space, quotes, a prefix, a number or template marks, or in another case. Returns
 * the name unchanged if it fits no declared tool, or several.
 */
export function findDeclaredName(name: string, declared: ReadonlySet<string> | undefined): string {
  if (!declared || declared.has(name) || name.length > maxNameLength) return name
  const plain = name.replace(recipient, '').replace(templateMarks, '').replace(quotes, '')
  const short = plain.replace(namespacePrefixes, '')
  const possibleNames = [plain, short, short.replace(callNumber, ''), short.replace(repetition, '$1')]
  return (
    possibleNames.find((possibleName) => declared.has(possibleName)) ?? findInOtherCase(possibleNames, declared) ?? name
  )
}

function findInOtherCase(possibleNames: readonly string[], declared: ReadonlySet<string>): string | undefined {
  const lowerCaseNames = new Set(possibleNames.map((possibleName) => possibleName.toLowerCase()))
  const matches = [...declared].filter((declaredName) => lowerCaseNames.has(declaredName.toLowerCase()))
  return matches.length === 1 ? matches[0] : undefined
}

/** The header that gpt-oss writes before the name: `commentary to=functions.read`. */
const recipient = /^.*\bto=/s

/** Marks that follow the name: `read<|channel|>commentary`, `read</tool_call>`. */
const templateMarks = /<[|/].*$/s

/** White space and quotes around the name, and the brackets of a call: `"read"`, `read()`. */
const quotes = /^[\s"'`]+|(?:\(\))?[\s"'`]*$/g

/** The number of a call that Kimi adds to the name: `read:0`. */
const callNumber = /:\d+$/

/** A name that a server joined from several fragments that each had the whole name: `readread`. */
const repetition = /^(.+?)\1+$/

/** Namespaces in which models see their tools: `functions` for OpenAI's open models and Kimi, `default_api` for Gemini. */
const namespacePrefixes = /^\$?(?:functions?|default_api|tools?)[.:/]/i
