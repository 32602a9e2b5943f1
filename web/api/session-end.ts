/** Tells whoever listens that the service no longer knows the session; the shell then leads to the sign-in. */
const listeners = new Set<() => void>()

export const sessionEnded = {
  announce(): void {
    for (const listener of listeners) listener()
  },
  listen(listener: () => void): () => void {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
}
