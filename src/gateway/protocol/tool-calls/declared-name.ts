/**
 * The declared tool that a model means by a name with white space, a prefix, a number or the marks of its template. A name
 * that fits no declared tool stays.
 */
export function findDeclaredName(name: string, declared: ReadonlySet<string> | undefined): string {
  if (!declared || declared.has(name)) return name
  const plain = name.replace(templateMarks, '').trim()
  const short = plain.replace(namespacePrefixes, '')
  return [plain, short, short.replace(/:\d+$/, '')].find((one) => declared.has(one)) ?? name
}

/** Marks that gpt-oss writes after the name: `read<|channel|>commentary`. */
const templateMarks = /<\|.*$/s

/** Namespaces in which models see their tools: OpenAI's open models and Kimi, Gemini. */
const namespacePrefixes = /^(?:functions?|default_api|tools?)[.:/]/
