import { signal } from '@preact/signals'

/** How much waits on a screen, shown beside its name. */
const badges = signal<Record<string, number>>({})

export const badgeOf = (screen: string): number | undefined => badges.value[screen]

export function setBadge(screen: string, count: number): void {
  if (badges.peek()[screen] !== count) badges.value = { ...badges.peek(), [screen]: count }
}
