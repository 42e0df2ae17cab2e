import { z } from '#platform/json/schema.ts'
import { escapeLinesUnambiguously, escapeUnambiguously, printable } from '#platform/text/printable.ts'
import { type Activity, toolStatuses } from './transcript.ts'

/** A tool call in the form of the API. */
export const ToolCallItem = z.object({
  type: z.literal('tool_call'),
  tool_call_id: z.string().describe('The same for all entries of one tool call.'),
  operation: z.string().nullable().describe('The kind of tool, as in a permission.'),
  title: z.string().nullable().describe('The name that the agent uses.'),
  status: z.enum(toolStatuses),
  input: z.string().nullable().describe('The input of the tool, as JSON if the agent reported JSON.'),
  output: z.string().nullable().describe('The output so far.'),
  paths: z.array(z.string()).describe('The files that the operation affects.'),
  changes: z
    .array(
      z.object({
        path: z.string(),
        diff: z.string().describe('A unified diff with context lines.'),
      }),
    )
    .describe('The files that it writes, with their changes.'),
})

export const PlanItem = z.object({
  type: z.literal('plan'),
  steps: z.array(
    z.object({
      text: z.string(),
      status: z.string().describe('`pending`, `in_progress` or `completed`.'),
      priority: z.string().optional().describe('`high`, `medium` or `low`.'),
    }),
  ),
})

/** The activity of an intern as clients see it. Long texts are shortened in the middle, with a note. */
export const ActivityItem = z.discriminatedUnion('type', [
  ToolCallItem.meta({ id: 'InternToolCall', description: 'The current state of a tool call of an intern.' }),
  PlanItem.meta({ id: 'InternPlan', description: 'The plan of an intern. Each plan replaces the previous one.' }),
])
export type ActivityItem = z.infer<typeof ActivityItem>

/**
 * Escapes characters that change how a text is displayed, because people judge the intern by it. Input and output are kept
 * readable; in names and diffs, different texts must also look different.
 */
export function toActivityItem(activity: Activity): ActivityItem {
  if (activity.type === 'plan') return { type: 'plan', steps: activity.steps }
  const { type, toolCallId, operation, title, status, input, output, paths, changes } = activity
  return {
    type,
    tool_call_id: toolCallId,
    operation,
    status,
    title: title === null ? null : escapeUnambiguously(title),
    input: input === null ? null : printable(input),
    output: output === null ? null : printable(output),
    paths: paths.map(escapeUnambiguously),
    changes: changes.map(({ path, diff }) => ({
      path: escapeUnambiguously(path),
      diff: escapeLinesUnambiguously(diff),
    })),
  }
}
