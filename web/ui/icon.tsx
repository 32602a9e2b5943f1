import { ICONS, type IconName } from './icons.ts'

/**
 * Shows an icon. Screen readers skip it, because there is a word next to it. A button that has only an icon contains
 * its label in a hidden `sr` element.
 */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  )
}

/** Shows the logo: a plumb bob on its string. */
export function LogoMark() {
  return (
    <svg className="mark" viewBox="0 0 24 24" fill="none" aria-hidden="true">
      <path d="M12 1v6" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
      <path d="M9.75 7h4.5v2.5h-4.5zM7.25 10.5h9.5v4.2L12 23l-4.75-8.3z" fill="currentColor" />
    </svg>
  )
}
