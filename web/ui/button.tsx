import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One primary button for each surface; danger is outlined, and solid only in the dialog that asks again. */
  look?: 'plain' | 'primary' | 'quiet' | 'danger' | 'danger solid'
  icon?: IconName
  small?: boolean
  /** While its work is under way: it stays where it is, says so, and cannot be pressed again. */
  busy?: boolean
  children?: ReactNode
}

export function Button({ look = 'plain', icon, small = false, busy = false, ...props }: ButtonProps) {
  const { className, children, disabled, onClick, type = 'button', ...rest } = props
  const names = ['btn', look === 'plain' ? '' : look, small ? 'small' : '', className ?? '']
  return (
    <button
      {...rest}
      type={type}
      className={names.filter((name) => name !== '').join(' ')}
      disabled={disabled}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spin" aria-hidden="true" /> : icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** A button with an icon alone, and its word for readers. */
export function IconButton({ label, ...props }: Omit<ButtonProps, 'children'> & { label: string; icon: IconName }) {
  return (
    <Button {...props} className={`only ${props.className ?? ''}`} title={label}>
      <span className="sr">{label}</span>
    </Button>
  )
}
