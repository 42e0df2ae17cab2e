import { z } from '#platform/json/schema.ts'

/** The maximum number of tools in a request. Providers accept fewer; each tool costs time in billing and translation. */
export const maxTools = 2048

export const toolList = <Tool extends z.ZodType>(tool: Tool) =>
  z.array(tool).max(maxTools, { error: `must have at most ${maxTools} tools` })
