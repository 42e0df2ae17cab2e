import { signal } from '@preact/signals'

/** The number displayed beside the name of a screen. */
const badges = signal<Record<string, number>>({})

export const badgeOf = (screen: string): number | undefined => badges.value[screen]

export function setBadge(screen: string, count: number): void {
  if (badges.peek()[screen] !== count) badges.value = { ...badges.peek(), [screen]: count }
}
