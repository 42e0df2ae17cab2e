import { z } from '#platform/json/schema.ts'

/** The most tools of a request. Providers accept fewer, and billing and translation look at each tool several times. */
export const maxTools = 2048

/** The tools of a request. */
export const toolList = <Tool extends z.ZodType>(tool: Tool) =>
  z.array(tool).max(maxTools, { error: `must have at most ${maxTools} tools` })
