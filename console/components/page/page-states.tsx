import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Failure } from '../../api/failure.ts'
import { Copy, CopyableText } from './copy-button.tsx'

/** An empty list, with what to do next. */
export function EmptyState({
  title,
  command,
  children,
}: {
  title: string
  /** A shell command that leads out of the empty state. */
  command?: string | undefined
  children?: ComponentChildren
}) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
      {command && <CopyableText text={command} />}
    </div>
  )
}

/** A loading message. It appears after a delay, so that fast responses do not flicker. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div class="state waiting" role="status">
      <span class="dim">{what} …</span>
    </div>
  )
}

/** The titles of failures by status. */
const titles: Record<number, string> = { 403: 'Access denied', 404: 'Not found' }

/** An error with its request id and a retry button. Without permission it names who can grant it. */
export function FailureState({ failure, onRetry }: { failure: Failure; onRetry?: () => void }) {
  const isForbidden = failure.status === 403
  const [retriedFailure, setRetriedFailure] = useState<Failure>()
  return (
    <div class="state">
      {/* Without the id, which differs each time: screen readers read unchanged text once. */}
      <div role="alert">
        <h2>{titles[failure.status] ?? 'Request failed'}</h2>
        <p>{failure.message}</p>
        {isForbidden && <p class="dim">An owner or admin of the organization can give you access.</p>}
      </div>
      {failure.requestId && (
        <p class="dim">
          Request <code>{failure.requestId}</code> <Copy text={failure.requestId}>Copy ID</Copy>
        </p>
      )}
      {onRetry && !isForbidden && (
        <button
          type="button"
          onClick={() => {
            setRetriedFailure(failure)
            onRetry()
          }}
        >
          {retriedFailure === failure ? 'Retrying …' : 'Retry'}
        </button>
      )}
    </div>
  )
}

/** A thin line at the top during a request. */
export function Progress({ isOn }: { isOn: boolean }) {
  return <div class={isOn ? 'progress on' : 'progress'} aria-hidden="true" />
}
