import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import { splitPattern } from '../contract/rules/match-command.ts'
import { effects, type Rule } from '../contract/rules/rule.ts'
import { isWrapperCommand } from '../contract/rules/wrapper-commands.ts'

/** The most rules of an owner, values of a condition, and characters of a value. Every action is compared with all of them. */
const limits = { rules: 200, values: 100, length: 300 }

const Value = text({ min: 1, max: limits.length })
const listOf = (item: z.ZodType<string>) => z.array(item).min(1).max(limits.values)

const Command = Value.refine((pattern) => pattern.trim() !== '' && !/["'\\;|&<>()$`\n\r]/.test(pattern), {
  error: 'must be words separated by spaces, without quotes, operators and variables',
}).refine((pattern) => !splitPattern(pattern).slice(0, -1).includes('**') && pattern.trim() !== '**', {
  error: '"**" matches further words: it can only be the last word, and not the only one',
})

const Path = Value.refine((glob) => !glob.split('/').includes('..') && !/[\n\r\\~]/.test(glob), {
  error: 'must be a path relative to the workspace, or absolute, without "..", "~" and "\\"; "*" and "**" match names',
})

const Host = Value.regex(/^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i, {
  error: 'must be a host such as "example.com", "*.example.com" or "*", without scheme, port and path',
})

export const RuleBody = strictFields({
  effect: z
    .enum(effects)
    .describe(
      '`allow`: permit without a question. `ask`: require a question. `deny`: reject. `ask` and `deny` also apply in `self-drive`.',
    ),
  name: text({ min: 1, max: 100 }).optional().describe('The display name.'),
  agents: listOf(Value)
    .optional()
    .describe('Agents of interns: names of configured agents, `builtin`, or `custom` for a custom command.'),
  tools: listOf(Value).optional().describe('Kinds of tools: values of `operation` in a permission.'),
  commands: listOf(Command)
    .optional()
    .describe(
      'Commands as words. For `allow`, a command must match exactly, or end with `**` for any further words. For other effects, a command matches by its first words.',
    ),
  unclear: z
    .literal(true)
    .optional()
    .describe(
      'Matches only commands that cannot be parsed reliably, or that run other commands. Not allowed with `allow`.',
    ),
  paths: listOf(Path)
    .optional()
    .describe('Glob patterns for files. `allow` applies if all files match, other effects if any file matches.'),
  hosts: listOf(Host)
    .optional()
    .describe('Host names. `allow` applies if all hosts match, other effects if any host matches.'),
})
  .superRefine((rule, context) => {
    for (const { path, message } of findUselessConditions(rule)) context.addIssue({ code: 'custom', path, message })
  })
  .meta({
    id: 'InternRuleBody',
    description:
      'A rule for the actions of an intern. All conditions must match, each with one of its values. A rule without conditions matches every action.',
  })

/** Reports an `allow` that can never match. */
function* findUselessConditions({
  effect,
  unclear,
  commands = [],
  paths,
  hosts,
}: Rule): Iterable<{ path: (string | number)[]; message: string }> {
  if (effect !== 'allow') return
  if (unclear)
    yield { path: ['unclear'], message: 'a command that cannot be parsed is never allowed; use "ask" or "deny"' }
  if (commands.length > 0 && (paths || hosts)) {
    const message =
      'the files and hosts of a command are uncertain, so "allow" cannot combine "commands" with "paths" or "hosts"'
    yield { path: [paths ? 'paths' : 'hosts'], message }
  }
  for (const [at, command] of commands.entries()) {
    const words = splitPattern(command).filter((word) => word !== '**')
    const path = ['commands', at]
    if (words[0]!.includes('*')) yield { path, message: 'an "allow" must name its program' }
    else if (isWrapperCommand({ words, redirects: [], assignments: [], canHaveOptions: false }))
      yield {
        path,
        message: `${JSON.stringify(words[0])} can run other commands here, so this would never be allowed`,
      }
  }
}

export const RulesBody = strictFields({
  rules: z.array(RuleBody).max(limits.rules).describe('In this order: the first matching rule decides.'),
  expected_version: z
    .int()
    .min(0)
    .optional()
    .describe('The current version. If another version is stored, the call fails with a conflict. 0: no rules yet.'),
}).meta({ id: 'InternRulesChange' })
export type RulesBody = z.infer<typeof RulesBody>

const RuleItem = z
  .object(RuleBody.shape)
  .meta({ id: 'InternRule', description: 'A rule for the actions of an intern.' })

export const RulesRecord = z
  .object({
    version: z.int().describe('0 if no rules were ever set.'),
    rules: z.array(RuleItem),
    updated_at: z.iso.datetime().nullable(),
    updated_by_user_id: z.string().nullable(),
  })
  .meta({ id: 'InternRules', description: 'A version of the rules for the actions of interns.' })
export type RulesRecord = z.infer<typeof RulesRecord>
