import { restoreNames } from '../../protocol/repairs/aliases.ts'
import type { ErrorMetadata } from '../../providers/errors/error-metadata.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { maskSecrets } from '../secrets/mask-secrets.ts'
import { type AttemptFailure, failureFromStatus, markPromptTooLong } from './failure.ts'
import { toProviderError } from './provider-error.ts'
import { isModelSpecificRefusal, refineStatus } from './refined-status.ts'
import { type HeaderWaits, parseWaitMessage } from './wait-times.ts'

/**
 * The failure of an attempt whose provider reported an error: as the status of its response, or within the response.
 * @param status decides about the failure. The facts have the status that the provider sent, if any.
 */
export function failureFromReportedError(
  { credential, credentialOwner, aliases }: Pick<AttemptRequest, 'credential' | 'credentialOwner' | 'aliases'>,
  status: number,
  rawMessage: string,
  { status: providerStatus, code: providerCode, details, ...facts }: ErrorMetadata & { status?: number | undefined },
  waits: HeaderWaits,
): AttemptFailure {
  const message = maskSecrets(aliases ? restoreNames(rawMessage, aliases) : rawMessage, credential)
  // The reset comes last, because another limit can have caused the error.
  const wait = waits.retryAfterMs ?? facts.retryAfterMs ?? parseWaitMessage(rawMessage) ?? waits.resetMs
  const refinedStatus = refineStatus(status, providerCode, rawMessage)
  const failure = failureFromStatus(refinedStatus, message || undefined, wait, credentialOwner)
  if (isModelSpecificRefusal(providerCode)) failure.canTryNext = true
  const hasSecret = details !== undefined && maskSecrets(details, credential) !== details
  const providerFacts = {
    providerCode,
    providerDetails: hasSecret ? undefined : details,
    providerError: toProviderError(providerStatus, providerCode, message),
  }
  return markPromptTooLong({ ...failure, ...providerFacts }, message)
}
