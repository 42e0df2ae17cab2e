import { z } from '#platform/json/schema.ts'
import { effects, scopes } from '../contract/rules/rule.ts'

/** A decision as clients see it. */
export const DecisionItem = z
  .object({
    effect: z.enum(effects).describe('What was decided.'),
    scope: z.enum(scopes).describe('Whose rules decided: those of the intern, or of its workspace.'),
    version: z.int().describe('The version of these rules.'),
    rule: z.int().describe('The place of the rule among them, from 1 on.'),
    name: z.string().nullable().describe('What the rule is called.'),
    why: z.string().nullable().describe('Why it is only asked, where the rule says `deny`.'),
  })
  .meta({ id: 'InternRuleDecision', description: 'What a rule decided about something that an intern wanted to do.' })
