import type { EndpointStatus } from '#catalogue/endpoint-status.ts'
import type { Config } from '#config/settings.ts'

/** All that the setting `dialect` changes: two names and one field, for clients that validate closed enumerations. */
export type Dialect = {
  /** The tool an intern asks with. */
  inputTool: string
  /** The model named in a chunk if the intern reported none. */
  fallbackModel: string
  endpointStatus: (status: EndpointStatus) => string | number
}

const statusNumbers: Record<EndpointStatus, number> = { healthy: 0, degraded: -2, down: -5, unconfigured: -10 }

export const dialects: Record<Config['dialect'], Dialect> = {
  spec: {
    inputTool: 'service.provide_input',
    fallbackModel: 'service/intern',
    endpointStatus: (status) => status,
  },
  openrouter: {
    inputTool: 'openrouter.provide_input',
    fallbackModel: 'openrouter/intern',
    endpointStatus: (status) => statusNumbers[status],
  },
}
