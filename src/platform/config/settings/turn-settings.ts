import { z } from '../../json/schema.ts'
import { millisecondsSetting } from '../setting-values.ts'

/** Limits and timeouts of turns of interns. */
export const turnSettings = {
  intern_heartbeat_ms: millisecondsSetting(30_000).describe(
    'The interval of keepalives in a stream of an intern without other events.',
  ),
  intern_budget_ms: millisecondsSetting(300_000).describe(
    'The longest time without output of an intern during a turn. Then the turn ends with a timeout. Not a spending limit.',
  ),
  turns_per_minute_user: z.coerce
    .number()
    .int()
    .min(1)
    .default(60)
    .describe('The maximum number of prompts that a user can send to interns per minute.'),
  turns_per_minute_organization: z.coerce
    .number()
    .int()
    .min(1)
    .default(600)
    .describe('The maximum number of prompts that an organization can send to interns per minute.'),
}
