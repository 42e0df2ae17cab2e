import { toast } from '../components/page/toast.tsx'
import { clear } from './conversation.ts'

/** Starts a new chat. A toast can restore the previous one, which is stored nowhere else. */
export function startNewChat(): void {
  const undo = clear()
  if (undo) toast('New chat started', { undo })
}
