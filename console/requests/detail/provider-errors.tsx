import type { Generation } from '../../api/types.ts'
import { attemptReason } from '../list/failure-reason.ts'

/** The errors that providers returned, each with its status, code and message. */
export function ProviderErrors({ attempts }: Pick<Generation, 'attempts'>) {
  return attempts.map(({ error, ...attempt }, index) =>
    error ? (
      <section class="provider-error" key={index} aria-label={`Error of ${attempt.provider_name}`}>
        <p>
          <b>{attempt.provider_name}</b>: {attemptReason({ ...attempt, error })}{' '}
          <code>{[error.status, error.code].filter(Boolean).join(' ')}</code>
        </p>
        {error.message && <blockquote>{error.message}</blockquote>}
        {error.message === null && (
          <p class="dim">
            The message of the provider can quote the prompt. Only the member who sent the request, owners and admins
            see it.
          </p>
        )}
      </section>
    ) : null,
  )
}
