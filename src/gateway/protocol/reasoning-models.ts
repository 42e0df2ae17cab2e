import type { Endpoint } from '#catalogue/index/model.ts'

/** Parameters that the catalogue lists only for models with reasoning. */
const reasoningParameters = ['reasoning', 'reasoning_effort', 'include_reasoning']

/** Whether the model of an endpoint can reason. True if the catalogue does not list the parameters of the endpoint. */
export function isReasoningModel({ supportedParameters, parametersAssumed, prices }: Endpoint): boolean {
  if (parametersAssumed || supportedParameters.length === 0 || prices.reasoning !== undefined) return true
  return reasoningParameters.some((name) => supportedParameters.includes(name))
}
