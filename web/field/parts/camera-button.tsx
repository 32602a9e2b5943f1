import { type ReactNode, useEffect, useRef } from 'react'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'

/** Shows a button that opens the camera. Calls `onCancel` if the user closes the camera without taking a picture. */
export function CameraButton(props: {
  children: ReactNode
  icon?: IconName
  look?: 'primary' | 'plain'
  /** The label for screen readers, if the text alone is not clear enough. */
  label?: string
  onPicture(file: File): void
  onCancel?(): void
}) {
  const input = useRef<HTMLInputElement>(null)
  const { onCancel } = props
  useEffect(() => {
    const element = input.current
    if (element === null || onCancel === undefined) return
    // React does not support the `cancel` event of file inputs.
    element.addEventListener('cancel', onCancel)
    return () => element.removeEventListener('cancel', onCancel)
  }, [onCancel])
  return (
    <label className={`btn ${props.look === 'primary' ? 'primary' : ''}`}>
      <input
        ref={input}
        type="file"
        accept="image/jpeg,image/png,image/webp"
        capture="environment"
        className="sr"
        aria-label={props.label}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          currentTarget.value = ''
          if (file !== undefined) props.onPicture(file)
        }}
      />
      {props.icon !== undefined && <Icon name={props.icon} />}
      <span aria-hidden={props.label === undefined ? undefined : true}>{props.children}</span>
    </label>
  )
}
