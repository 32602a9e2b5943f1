type Listener = () => void

const listeners = new Set<Listener>()

/**
 * Notifies forms that the service has saved a change. The notification comes from the cache of responses, before the
 * page reacts to the change, for example by opening another page.
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
