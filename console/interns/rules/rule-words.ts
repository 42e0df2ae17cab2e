import type { InternRule } from '../../api/types.ts'

export type Effect = InternRule['effect']

/** The effects of rules. */
export const effects: Record<Effect, string> = {
  allow: 'Allow without a question',
  ask: 'Ask, also in self-drive',
  deny: 'Deny',
}

/** `a, b or c`, each in quotes. */
function orList(items: string[]): string {
  const quoted = items.map((item) => `“${item}”`)
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

/** Describes a rule. An allow rule must match the whole action; the others match any part of it. */
export function describeRule(rule: InternRule): string {
  const [subjects, conditions] = [describeSubjects(rule), describeConditions(rule)]
  const actions = subjects.length > 0 ? subjects : [conditions.length > 0 ? 'anything' : 'everything']
  return `${effects[rule.effect]}: ${[...actions, ...conditions].join(', ')}.`
}

function describeSubjects({ effect, tools, commands, unclear }: InternRule): string[] {
  const isAllowRule = effect === 'allow'
  const subjects: string[] = []
  if (commands) {
    // ` **` stands for any further arguments.
    const patterns = orList(commands.map((command) => command.replace(/ \*\*$/, ' …')))
    subjects.push(isAllowRule ? `exactly the command ${patterns}` : `commands that start with ${patterns}`)
  }
  if (unclear) subjects.push('commands that cannot be parsed reliably')
  if (tools) {
    const names = orList(tools)
    subjects.push(isAllowRule ? `exactly the tool ${names}` : `the tool ${names} and its subtools`)
  }
  return subjects
}

function describeConditions({ effect, agents, paths, hosts }: InternRule): string[] {
  const isAllowRule = effect === 'allow'
  const conditions: string[] = []
  if (paths) conditions.push(`where ${isAllowRule ? 'all files are' : 'any file is'} in ${orList(paths)}`)
  if (hosts) conditions.push(`where ${isAllowRule ? 'all hosts are' : 'any host is'} ${orList(hosts)}`)
  if (agents) conditions.push(`by the agent ${orList(agents)}`)
  return conditions
}

const matchesEverything = ({ effect: _effect, name: _name, ...conditions }: InternRule) =>
  Object.values(conditions).every((condition) => condition === undefined)

/** The number of an earlier rule that matches everything, starting at 1; 0 without one. */
export const shadowingRule = (rules: InternRule[], index: number) =>
  rules.slice(0, index).findIndex(matchesEverything) + 1

/** A rule as a line of a list of changes. */
const lineOf = (rule: InternRule) => `${rule.name ? `${rule.name}. ` : ''}${describeRule(rule)}`

/** Applies the rules that `theirs` added to `base` and removed from it to `mine`. Added rules are inserted at their positions. */
export function mergeRules(base: InternRule[], mine: InternRule[], theirs: InternRule[]): InternRule[] {
  const [was, is] = [base, theirs].map((rules) => new Set(rules.map((rule) => JSON.stringify(rule)))) as [
    Set<string>,
    Set<string>,
  ]
  const merged = mine.filter((rule) => !was.has(JSON.stringify(rule)) || is.has(JSON.stringify(rule)))
  for (const [index, rule] of theirs.entries()) if (!was.has(JSON.stringify(rule))) merged.splice(index, 0, rule)
  return merged
}

/** The removed and added rules between two lists, or the change of order. */
export function changesBetween(before: InternRule[], after: InternRule[]) {
  const [was, is] = [before.map(lineOf), after.map(lineOf)]
  const removed = was.filter((line) => !is.includes(line))
  const added = is.filter((line) => !was.includes(line))
  if (removed.length + added.length > 0) return [{ field: 'rules', removed, added }]
  return was.join('\n') === is.join('\n') ? [] : [{ field: 'order', removed: was, added: is }]
}
