/** Functions to call when the session has ended. The shell (shell.tsx) then redirects to the sign-in page. */
const listeners = new Set<() => void>()

export const sessionEnd = {
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
