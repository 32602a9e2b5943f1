/** Whether a key belongs to what somebody types, to the browser, or to an open dialog, and not to the page. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return true
  if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return true
  // By its class, because a toast is a dialog by role too, and takes no keys from the page.
  return document.querySelector('.dialog, [role="menu"]') !== null
}
