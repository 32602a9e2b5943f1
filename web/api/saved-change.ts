type Listener = () => void

const listeners = new Set<Listener>()

/**
 * Notifies forms that the service saved a change. The cache of responses announces the change before the page reacts to
 * it, for example by opening another page.
 */
export const savedChange = {
  announce(): void {
    for (const listener of listeners) listener()
  },
  listen(listener: Listener): () => void {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
}
