import type { InternResponse, InternStatus } from '#interns/registry/intern.ts'
import { waitUntil } from '#platform/async/wait-for.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'

/** Ten minutes, because pulling the image of a pod or cloning a repository can take minutes. */
const polling = { timeoutMs: 600_000, recheckMs: 500 }

const startingStatuses: readonly InternStatus[] = ['queued', 'provisioning']

/**
 * Waits until an intern is running.
 * @param report receives the current step of its start
 * @throws UserFacingError when the intern does not exist, or is not starting
 */
export async function waitUntilRunning(
  client: Pick<ApiClient, 'request'>,
  intern: string,
  report: (text: string) => void = () => {},
): Promise<void> {
  let reportedStatus: string | undefined
  const reportAndCheck = async () => {
    const record = await client.request<InternResponse>('GET', internPath(intern))
    if (record.status === 'running') return true
    const { status, last_failure_message: failureMessage } = record
    if (!startingStatuses.includes(status)) {
      const reason = failureMessage === null ? '' : ` (${failureMessage})`
      throw new UserFacingError(
        `"${intern}" is ${status}${reason}. To start it: npx signalbox interns provision ${intern}`,
      )
    }
    const step = record.progress?.step_label ?? failureMessage ?? undefined
    if (step !== undefined && step !== reportedStatus) report(`"${intern}" is starting: ${step}`)
    reportedStatus = step
    return false
  }
  const isRunning = await waitUntil(reportAndCheck, polling)
  if (isRunning) return
  throw new UserFacingError(
    `"${intern}" is still starting${reportedStatus === undefined ? '' : ` (${reportedStatus})`}. Try again later.`,
  )
}
