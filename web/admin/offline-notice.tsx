import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Icon } from '../ui/icon.tsx'

/** Shows on every page that the browser has no connection. This explains why data may be missing or outdated. */
export function OfflineNotice() {
  const isOnline = useSyncExternalStore(subscribeToConnection, () => onlineManager.isOnline())
  return (
    <div className="offline" role="status">
      {!isOnline && (
        <p className="banner" data-tone="warn">
          <Icon name="warn" />
          <span>
            <strong>You are offline.</strong> Changes cannot be saved. The page loads its data as soon as the connection
            returns.
          </span>
        </p>
      )}
    </div>
  )
}

function subscribeToConnection(changed: () => void): () => void {
  return onlineManager.subscribe(changed)
}
