import { maxTimeMs } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import {
  type Action,
  actionLimits,
  type Decision,
  effects,
  type LoggedDecision,
  scopes,
} from '../contract/rules/rule.ts'

// The limits are above those of a daemon (src/daemon/acp/tool-calls/action.ts), which a compromised one ignores.

const position = z.int().min(0)
const text = (max: number) => z.string().max(max)

export const ReportedDecision: z.ZodType<Decision> = z.object({
  effect: z.enum(effects),
  scope: z.enum(scopes),
  version: position,
  rule: position,
  name: text(500).nullable(),
  why: text(500).nullable(),
})

export const DecisionsResponse: z.ZodType<{ decisions: LoggedDecision[] }> = z.object({
  decisions: z
    .array(
      z.object({
        seq: position,
        sessionId: text(512),
        runId: text(512),
        at: z.number().min(0).max(maxTimeMs),
        operation: text(500).nullable(),
        detail: text(4000).nullable(),
        decision: ReportedDecision,
      }),
    )
    .max(1000),
})

const ReportedAction: z.ZodType<Action> = z.object({
  operation: text(actionLimits.operation).nullable(),
  command: text(actionLimits.command).nullable(),
  paths: z.array(text(actionLimits.path)).max(actionLimits.listed),
  linked: z.array(text(actionLimits.path)).max(actionLimits.listed).exactOptional(),
  hosts: z.array(text(actionLimits.host)).max(actionLimits.listed),
  root: text(actionLimits.path),
  folder: text(actionLimits.path).exactOptional(),
  unsure: z.boolean(),
})

/** Reads an action of a daemon; undefined for an invalid one. */
export const readAction = (value: unknown): Action | undefined => ReportedAction.safeParse(value).data
