import { toast } from '../components/toast.tsx'
import { clear } from './conversation.ts'

/** A new chat, and for a while the way back to the one before: it is kept nowhere else. */
export function startNewChat(): void {
  const undo = clear()
  if (undo) toast('New chat started', { undo })
}
