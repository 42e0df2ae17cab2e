import type { EndpointStatus } from '#catalogue/index/endpoint-status.ts'
import type { Config } from '#platform/config/settings.ts'
import { type Envelope, numericCodes } from '#platform/http/response/envelope.ts'

/** Everything that the setting `dialect` changes, for clients that validate closed enumerations and numbers. */
type Dialect = {
  /** The name of the tool by which an intern asks questions. */
  inputTool: string
  /** The model in a chunk if the intern reported none. */
  fallbackModel: string
  formatEndpointStatus: (status: EndpointStatus) => string | number
  /** The form of errors; undefined for the form of this service. */
  envelope: Envelope | undefined
}

/**
 * Values of OpenRouter's `EndpointStatus`: 0, -1, -2, -3, -5 and -10. Its documentation does not define them, so a worse
 * status has a lower one.
 */
const statusNumbers: Record<EndpointStatus, number> = { healthy: 0, degraded: -2, down: -5, unconfigured: -10 }

export const dialects: Record<Config['dialect'], Dialect> = {
  spec: {
    inputTool: 'service.provide_input',
    fallbackModel: 'service/intern',
    formatEndpointStatus: (status) => status,
    envelope: undefined,
  },
  openrouter: {
    inputTool: 'openrouter.provide_input',
    fallbackModel: 'openrouter/intern',
    formatEndpointStatus: (status) => statusNumbers[status],
    envelope: numericCodes,
  },
}
