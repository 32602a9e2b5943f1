import type { ReactNode } from 'react'

/** The shapes that distinguish statuses of the same tone. Each is 12 by 12 and can be recognized without color. */
const SHAPES = {
  arrow: <path d="M1.8 6h8M6.6 2.8L9.8 6 6.6 9.2" />,
  back: <path d="M10.2 6h-8M5.4 2.8L2.2 6l3.2 3.2" />,
  bang: <path d="M6 2v5M6 9.7v.1" />,
  box: <path d="M2.25 2.25h7.5v7.5h-7.5z" />,
  check: <path d="M2 6.5l2.7 2.7L10 3.3" />,
  checked: (
    <>
      <circle cx="6" cy="6" r="4.25" />
      <path d="M4 6.2l1.5 1.5L8.2 4.7" />
    </>
  ),
  clock: (
    <>
      <circle cx="6" cy="6" r="4.25" />
      <path d="M6 3.5V6l1.7 1" />
    </>
  ),
  dash: <circle cx="6" cy="6" r="4.25" strokeDasharray="2.2 2.25" />,
  diamond: <path d="M6 1.5l4.5 4.5L6 10.5 1.5 6z" />,
  dot: <circle cx="6" cy="6" r="3.25" fill="currentColor" />,
  down: <path d="M2.5 3.5h7L6 9z" />,
  eye: (
    <>
      <path d="M1.3 6S3 3 6 3s4.7 3 4.7 3S9 9 6 9 1.3 6 1.3 6" />
      <circle cx="6" cy="6" r=".8" />
    </>
  ),
  half: (
    <>
      <circle cx="6" cy="6" r="4.25" />
      <path d="M6 1.75a4.25 4.25 0 0 1 0 8.5z" fill="currentColor" stroke="none" />
    </>
  ),
  lock: (
    <>
      <path d="M2.5 5.2h7v5h-7z" />
      <path d="M4 5V3.7a2 2 0 0 1 4 0V5" />
    </>
  ),
  most: (
    <>
      <circle cx="6" cy="6" r="4.25" />
      <path d="M6 6V1.75a4.25 4.25 0 1 1-4.25 4.25z" fill="currentColor" stroke="none" />
    </>
  ),
  pause: <path d="M4 2.8v6.4M8 2.8v6.4" />,
  person: (
    <>
      <circle cx="6" cy="3.8" r="2" />
      <path d="M2 10.5c0-2.2 1.7-3.5 4-3.5s4 1.3 4 3.5" />
    </>
  ),
  quarter: (
    <>
      <circle cx="6" cy="6" r="4.25" />
      <path d="M6 6V1.75A4.25 4.25 0 0 1 10.25 6z" fill="currentColor" stroke="none" />
    </>
  ),
  ring: <circle cx="6" cy="6" r="4.25" />,
  slash: (
    <>
      <circle cx="6" cy="6" r="4.25" />
      <path d="M3.2 8.8l5.6-5.6" />
    </>
  ),
  square: <path d="M2.5 2.5h7v7h-7z" fill="currentColor" />,
  star: <path d="M6 1.5l4.5 4.5L6 10.5 1.5 6z" fill="currentColor" />,
  tri: (
    <>
      <path d="M6 1.7l4.7 8.3H1.3z" />
      <path d="M6 5v2" />
    </>
  ),
  x: <path d="M3 3l6 6M9 3l-6 6" />,
} satisfies Record<string, ReactNode>

export type ShapeName = keyof typeof SHAPES

export function Shape({ name }: { name: ShapeName }) {
  return (
    <svg className="shape" viewBox="0 0 12 12" aria-hidden="true">
      {SHAPES[name]}
    </svg>
  )
}
