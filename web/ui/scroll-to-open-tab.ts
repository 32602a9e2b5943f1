/**
 * Scrolls a bar of tabs, so that the open tab is visible. On a phone, the bar is often wider than the screen. Pass this
 * function as the `ref` of the bar.
 */
export function scrollToOpenTab(bar: HTMLElement | null): void {
  const open = bar?.querySelector<HTMLElement>('[aria-current]')
  if (bar === null || open == null) return
  bar.scrollLeft = open.offsetLeft - bar.offsetLeft - (bar.clientWidth - open.offsetWidth) / 2
}
