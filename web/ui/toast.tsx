import { Toast } from '@base-ui/react/toast'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from './icon.tsx'

const toastManager = Toast.createToastManager<{ to?: string }>()

/**
 * Shows a message that an action succeeded, with a link to the result. Do not use this function for errors, which must
 * stay visible where they occurred until they are resolved.
 */
export function showToast(title: string, way?: { word: string; to: string } | { word: string; onClick(): void }): void {
  const action =
    way === undefined || 'to' in way
      ? undefined
      : { children: way.word, onClick: way.onClick, className: 'btn small quiet' }
  toastManager.add({
    title,
    ...(way !== undefined && 'to' in way && { description: way.word, data: { to: way.to } }),
    ...(action && { actionProps: action }),
  })
}

const TOAST_MS = 6000

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toastManager} timeout={TOAST_MS} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  const { toasts, close } = Toast.useToastManager<{ to?: string }>()
  const navigate = useNavigate()
  return toasts.map((toast) => {
    const to = toast.data?.to
    return (
      <Toast.Root
        key={toast.id}
        toast={toast}
        className="toast"
        // The list of messages is already a live region, so the role of a dialog is removed from each message.
        render={({ 'aria-modal': _, ...attributes }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls.
          <div {...attributes} role="group" />
        )}
      >
        <Icon name="check" />
        <Toast.Title render={<span />} />
        {to !== undefined && (
          <button
            type="button"
            className="btn small quiet"
            onClick={() => {
              close(toast.id)
              void navigate(to)
            }}
          >
            {toast.description}
          </button>
        )}
        {toast.actionProps !== undefined && <Toast.Action />}
      </Toast.Root>
    )
  })
}
