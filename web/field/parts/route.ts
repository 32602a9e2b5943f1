import { useSyncExternalStore } from 'react'

/** The path of a screen. It is in the fragment of the URL, so that one stored document shows all screens. */
export type Route = readonly string[]

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

/** Returns the parts of the current path, such as `['task', 'tsk_…']`. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  return hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent)
}

export function toRouteHash(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`
}

export function openScreen(...parts: readonly string[]): void {
  location.hash = toRouteHash(...parts)
}

/** Goes back to the previous screen. If there is none, goes to the screen of the day. */
export function goBack(): void {
  if (history.length > 1) history.back()
  else openScreen()
}
