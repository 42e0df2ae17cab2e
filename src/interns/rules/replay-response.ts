import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { effects, scopes } from '../contract/rules/rule.ts'
import { RuleBody } from './rules-body.ts'

/** The length of the replayed time range, if the request does not limit it. */
export const defaultDays = 30
/** The most listed questions that people decided otherwise. */
export const maxDifferences = 50

const instant = z.iso.datetime({ offset: true })

export const RulesReplayRequest = strictFields({
  from: instant.optional().describe(`Defaults to ${defaultDays} days before \`to\`.`),
  to: instant.optional().describe('Exclusive. Defaults to now.'),
  rules: z
    .array(RuleBody)
    .max(200)
    .optional()
    .describe('The rules to replay. Defaults to the stored rules. They are not stored.'),
  list: z
    .int()
    .min(0)
    .max(500)
    .default(0)
    .describe('Maximum number of listed questions that a rule would have decided, newest first.'),
}).meta({ id: 'InternRulesReplayRequest' })
export type RulesReplayRequest = z.infer<typeof RulesReplayRequest>

const count = z.int()

const QuestionCounts = z
  .object({
    questions: count,
    people_allowed: count.describe('Questions that a member allowed.'),
    people_rejected: count.describe('Questions that a member rejected.'),
    unanswered: count,
  })
  .meta({ id: 'InternRulesReplayCount' })
export type QuestionCounts = z.infer<typeof QuestionCounts>

const ReplayedQuestion = z
  .object({
    intern_id: z.string(),
    question_id: z.string(),
    asked_at: z.iso.datetime(),
    operation: z.string().nullable(),
    detail: z.string().describe('The command, or the files or hosts.'),
    answer: z.string().nullable().describe('The answer of a member; null without one.'),
    effect: z.enum(effects).describe('The effect of the rules.'),
    scope: z.enum(scopes),
    rule: count,
  })
  .meta({
    id: 'InternReplayedQuestion',
    description: 'A past question, and the rule that would have decided it.',
  })
export type ReplayedQuestion = z.infer<typeof ReplayedQuestion>

export const RulesReplay = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    summary: z.string().describe('A summary of the figures.'),
    all: QuestionCounts.describe('The permission questions in the time range.'),
    would_allow: QuestionCounts.describe('Allowed without a question.'),
    would_ask: QuestionCounts.describe('A rule requires a question.'),
    would_deny: QuestionCounts.describe('Denied without a question.'),
    no_rule: QuestionCounts.describe('Decided by the approval mode, as without rules.'),
    by_rule: z
      .array(
        QuestionCounts.extend({
          scope: z.enum(scopes),
          rule: count.describe('The position of the rule in its list, starting at 1.'),
          name: z.string().nullable(),
          effect: z.enum(effects),
        }),
      )
      .describe('Counts each question under the rule that decides it. Rules without questions are omitted.'),
    people_decided_otherwise: z
      .array(ReplayedQuestion.extend({ answer: z.string().describe('The answer of a member.') }))
      .describe(
        `Questions that the rules would have allowed and members rejected, or the reverse. The latest ${maxDifferences}.`,
      ),
    questions: z
      .array(ReplayedQuestion)
      .describe('The latest questions that a rule would have decided, at most `list`.'),
    notes: z.array(z.string()).describe('Notes on the figures.'),
  })
  .meta({ id: 'InternRulesReplay', description: 'The result of a replay of rules against past questions.' })
export type RulesReplay = z.infer<typeof RulesReplay>
