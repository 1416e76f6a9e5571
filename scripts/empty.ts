// Stands in for packages that are only for development.
export default {};
