import { toast } from '../components/page/toast.tsx'
import { type ChatStart, clear } from './conversation.ts'

/** Starts a new chat. A toast can restore the previous one, which is stored nowhere else. */
export function startNewChat(start?: ChatStart): void {
  const undo = clear(start)
  if (undo) toast('New chat started', { undo })
}
