/** Creates an element with its properties, attributes (`aria-label`, `data-…`) and contents. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Record<string, unknown> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-') || key === 'role') created.setAttribute(key, String(value))
    else Object.assign(created, { [key]: value })
  }
  created.append(...children)
  return created
}

/** Returns the program that an element shows, as its copy button has it. */
export function programIn(shown: Element): string {
  return shown.querySelector<HTMLElement>('[data-code]')!.dataset.code!.replaceAll('\x7f', '\n')
}
