import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import { carriesOthers } from '../contract/rules/carriers.ts'
import { patternWords } from '../contract/rules/match-command.ts'
import { effects, type Rule } from '../contract/rules/rule.ts'

const most = { rules: 200, values: 100, length: 300 }

const Value = text({ min: 1, max: most.length })
const listOf = (item: z.ZodType<string>) => z.array(item).min(1).max(most.values)

const Command = Value.refine((pattern) => pattern.trim() !== '' && !/["'\\;|&<>()$`\n\r]/.test(pattern), {
  error: 'must be words with spaces between them; quotes, operators and variables have no place in it',
}).refine((pattern) => !patternWords(pattern).slice(0, -1).includes('**') && pattern.trim() !== '**', {
  error: '"**" stands for further words: it may only be the last word, and not the only one',
})

const Path = Value.refine((glob) => !glob.split('/').includes('..') && !/[\n\r\\~]/.test(glob), {
  error: 'must be a path from the workspace, or from "/" on, without "..", "~" and "\\"; "*" and "**" stand for names',
})

const Host = Value.regex(/^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i, {
  error: 'must be a host such as "example.com", "*.example.com" or "*", without scheme, port and path',
})

export const RuleBody = strictFields({
  effect: z
    .enum(effects)
    .describe(
      '`allow` grants it without a question, `ask` asks, `deny` refuses it; both of these in `self-drive`, too.',
    ),
  name: text({ min: 1, max: 100 }).optional().describe('What people call it.'),
  agents: listOf(Value)
    .optional()
    .describe(
      'Of interns that these agents run: names of configured agents, `builtin`, or `custom` for a command of one’s own.',
    ),
  tools: listOf(Value).optional().describe('Kinds of tools, as `operation` of a permission names them.'),
  commands: listOf(Command)
    .optional()
    .describe(
      'Commands by their words: `allow` means exactly these, and with `**` at the end any further; the others mean all that begins so.',
    ),
  unclear: z
    .literal(true)
    .optional()
    .describe('Only commands that cannot be read with certainty, or that run others. Not with `allow`.'),
  paths: listOf(Path)
    .optional()
    .describe('Globs of the files that it is about; `allow` means all of them, the others any.'),
  hosts: listOf(Host).optional().describe('The hosts that it is about; `allow` means all of them, the others any.'),
})
  .superRefine((rule, context) => {
    for (const { path, message } of faultsOf(rule)) context.addIssue({ code: 'custom', path, message })
  })
  .meta({
    id: 'InternRuleBody',
    description:
      'What an intern may do. All conditions must hold, and of the values of each one; without any it is about everything.',
  })

/** An `allow` that never could hold is a mistake worth hearing of. */
function* faultsOf({
  effect,
  unclear,
  commands = [],
  paths,
  hosts,
}: Rule): Iterable<{ path: (string | number)[]; message: string }> {
  if (effect !== 'allow') return
  if (unclear) yield { path: ['unclear'], message: 'what cannot be read is never allowed; use "ask" or "deny"' }
  if (commands.length > 0 && (paths || hosts)) {
    const message =
      'which files and hosts a command reaches is not certain, so "allow" takes no "paths" or "hosts" beside "commands"'
    yield { path: [paths ? 'paths' : 'hosts'], message }
  }
  for (const [at, command] of commands.entries()) {
    const words = patternWords(command).filter((word) => word !== '**')
    const path = ['commands', at]
    if (words[0]!.includes('*')) yield { path, message: 'an "allow" names its program' }
    else if (carriesOthers({ words, redirects: [], assigned: [], mayHaveOptions: false }))
      yield {
        path,
        message: `what ${JSON.stringify(words[0])} runs here cannot be told from its words, so this would never be allowed`,
      }
  }
}

export const RulesBody = strictFields({
  rules: z.array(RuleBody).max(most.rules).describe('In their order: the first that matches decides.'),
  expected_version: z
    .int()
    .min(0)
    .optional()
    .describe('The version that these are to replace; another one is a conflict. 0: there are none yet.'),
}).meta({ id: 'InternRulesChange' })
export type RulesBody = z.infer<typeof RulesBody>

const RuleItem = z.object(RuleBody.shape).meta({ id: 'InternRule', description: 'A rule for what an intern may do.' })

export const RulesRecord = z
  .object({
    version: z.int().describe('0 where there never were any.'),
    rules: z.array(RuleItem),
    updated_at: z.iso.datetime().nullable(),
    updated_by_user_id: z.string().nullable(),
  })
  .meta({ id: 'InternRules', description: 'Rules for what interns may do, as one version of them says.' })
export type RulesRecord = z.infer<typeof RulesRecord>
