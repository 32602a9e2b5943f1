import { LinkTabs } from '../../ui/link-tabs.tsx'

const TIME_LINKS = [
  { to: '/time', word: 'My week' },
  { to: '/time/week', word: 'All weeks' },
  { to: '/time/approval', word: 'Approval' },
  { to: '/time/payroll', word: 'Payroll' },
] as const

/** Tabs for hours: the user's own week, the weeks of all users, the approval, and the export to payroll. */
export function TimeTabs() {
  return <LinkTabs label="Time" places={TIME_LINKS} />
}
