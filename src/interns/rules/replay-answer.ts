import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { effects, scopes } from '../contract/rules/rule.ts'
import { RuleBody } from './rules-body.ts'

const instant = z.iso.datetime({ offset: true })

export const RulesReplayRequest = strictFields({
  from: instant.optional().describe('30 days before `to` unless told.'),
  to: instant.optional().describe('Now unless told. Questions of this instant are left out.'),
  rules: z
    .array(RuleBody)
    .max(200)
    .optional()
    .describe('What to try; the rules as they are unless told. They are not stored.'),
  list: z
    .int()
    .min(0)
    .max(500)
    .default(0)
    .describe('So many questions that a rule would have decided are told one by one, the latest first.'),
}).meta({ id: 'InternRulesReplayRequest' })
export type RulesReplayRequest = z.infer<typeof RulesReplayRequest>

const count = z.int()

const Counted = z
  .object({
    questions: count,
    people_allowed: count.describe('Of them, those that somebody allowed.'),
    people_rejected: count.describe('Of them, those that somebody rejected.'),
    unanswered: count,
  })
  .meta({ id: 'InternRulesReplayCount' })
export type Counted = z.infer<typeof Counted>

const ReplayedQuestion = z
  .object({
    intern_id: z.string(),
    question_id: z.string(),
    asked_at: z.iso.datetime(),
    operation: z.string().nullable(),
    detail: z.string().describe('The command, or the files or hosts.'),
    answer: z.string().nullable().describe('What somebody said; null when nobody did.'),
    effect: z.enum(effects).describe('What the rules would have done.'),
    scope: z.enum(scopes),
    rule: count,
  })
  .meta({
    id: 'InternReplayedQuestion',
    description: 'A question of the past, and the rule that would have decided it.',
  })
export type ReplayedQuestion = z.infer<typeof ReplayedQuestion>

export const RulesReplay = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    summary: z.string().describe('The figures in a sentence.'),
    all: Counted.describe('The questions for permission of that time.'),
    would_allow: Counted.describe('Granted without a question.'),
    would_ask: Counted.describe('A rule has it asked.'),
    would_deny: Counted.describe('Refused without a question.'),
    no_rule: Counted.describe('Left to the approval mode, as without rules.'),
    by_rule: z
      .array(
        Counted.extend({
          scope: z.enum(scopes),
          rule: count.describe('Its place among the rules of its scope, from 1 on.'),
          name: z.string().nullable(),
          effect: z.enum(effects),
        }),
      )
      .describe('Each question under the rule that decides. A rule that decides nothing is left out.'),
    people_decided_otherwise: z
      .array(ReplayedQuestion.extend({ answer: z.string().describe('What somebody said.') }))
      .describe('Granted what people rejected, and refused what they allowed: the latest 50.'),
    questions: z.array(ReplayedQuestion).describe('The latest that a rule would have decided, as many as `list` says.'),
    notes: z.array(z.string()).describe('What the figures rest on.'),
  })
  .meta({ id: 'InternRulesReplay', description: 'What rules would have decided about questions of the past.' })
export type RulesReplay = z.infer<typeof RulesReplay>
