import type { ComponentChildren } from 'preact'
import { withRoot } from '../../api/address/root.ts'
import { EmptyState } from './page-states.tsx'

type Props = {
  /** The message if no request matches the filters; false without filters. */
  noMatch: string | false
  onClear: () => void
  title: string
  children: ComponentChildren
}

/** The empty state of request lists: clears filters, or shows a command that sends a request. @param props.children introduces the command. */
export function NoRequests({ noMatch, onClear, title, children }: Props) {
  if (noMatch !== false) {
    return (
      <EmptyState title={noMatch}>
        <button type="button" onClick={onClear}>
          Clear filters
        </button>
      </EmptyState>
    )
  }
  const command = `curl ${location.origin}${withRoot('/api/v1')}/chat/completions -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" -d '{"model":"signalbox/demo","messages":[{"role":"user","content":"Hello"}]}'`
  return (
    <EmptyState title={title} command={command}>
      {children}
    </EmptyState>
  )
}
