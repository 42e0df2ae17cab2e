import { z } from '#platform/json/schema.ts'
import { effects, scopes } from '../contract/rules/rule.ts'

/** A decision as clients see it. */
export const DecisionItem = z
  .object({
    effect: z.enum(effects).describe('What the rule decided: to allow, to ask or to deny.'),
    scope: z.enum(scopes).describe('Whether the rule belongs to the intern or to its workspace.'),
    version: z.int().describe('The version of the list of rules.'),
    rule: z.int().describe('The position of the rule in its list, starting at 1.'),
    name: z.string().nullable().describe('The name of the rule.'),
    why: z.string().nullable().describe('Why a person is asked although the rule says `deny`; null otherwise.'),
  })
  .meta({ id: 'InternRuleDecision', description: 'The decision of a rule about an action of an intern.' })
